# SPDX-License-Identifier: MIT
# `cpack -G DEB` in the build folder makes the Debian package (docs/install.md).
install(TARGETS tidemark RUNTIME DESTINATION bin)
install(FILES systemd/tidemark.service systemd/tidemark-ingest.socket systemd/tidemark-admin.socket
        DESTINATION lib/systemd/system)
install(FILES systemd/tidemark.sysusers DESTINATION lib/sysusers.d RENAME tidemark.conf)
install(FILES systemd/tidemark.tmpfiles DESTINATION lib/tmpfiles.d RENAME tidemark.conf)
install(FILES docs/tidemark.1 DESTINATION share/man/man1)
install(FILES systemd/completion.bash DESTINATION share/bash-completion/completions RENAME tidemark)
install(FILES LICENSE DESTINATION share/doc/tidemark RENAME copyright)
install(FILES README.md systemd/alerts.yml docs/grafana.json DESTINATION share/doc/tidemark)
install(DIRECTORY docs/ DESTINATION share/doc/tidemark/docs FILES_MATCHING PATTERN "*.md")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME tidemark)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "Tidemark's authors <tidemark@example.com>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "turns blockchain webhooks into facts that your code can book")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION net)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "systemd")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA
    ${CMAKE_SOURCE_DIR}/systemd/debian/postinst
    ${CMAKE_SOURCE_DIR}/systemd/debian/prerm
    ${CMAKE_SOURCE_DIR}/systemd/debian/postrm)
include(CPack)
