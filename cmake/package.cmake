# SPDX-License-Identifier: MIT
# `scripts/package` makes the Debian package of what is built (docs/install.md).
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY TRUE) # only the program is needed, not the tests
install(TARGETS tidemark RUNTIME DESTINATION bin)
install(FILES systemd/tidemark.service systemd/tidemark-ingest.socket systemd/tidemark-admin.socket
        DESTINATION lib/systemd/system)
install(FILES systemd/tidemark.sysusers DESTINATION lib/sysusers.d RENAME tidemark.conf)
install(FILES systemd/tidemark.tmpfiles DESTINATION lib/tmpfiles.d RENAME tidemark.conf)
install(FILES docs/tidemark.1 DESTINATION share/man/man1)
install(FILES systemd/completion.bash DESTINATION share/bash-completion/completions RENAME tidemark)
install(FILES systemd/debian/copyright DESTINATION share/doc/tidemark)
install(FILES systemd/debian/lintian-overrides DESTINATION share/lintian/overrides RENAME tidemark)
install(FILES README.md systemd/alerts.yml docs/grafana.json DESTINATION share/doc/tidemark)
install(DIRECTORY docs/ DESTINATION share/doc/tidemark/docs FILES_MATCHING PATTERN "*.md" PATTERN img EXCLUDE)

set(CPACK_PACKAGE_CONTACT "Tidemark's authors <tidemark@example.com>")
configure_file(systemd/debian/changelog.in changelog @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/changelog DESTINATION share/doc/tidemark)
# Debian's policy: manual pages and changelogs are compressed, always to the same bytes.
install(CODE [[
  foreach(page IN ITEMS share/man/man1/tidemark.1 share/doc/tidemark/changelog)
    execute_process(COMMAND gzip -9nf "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/${page}" COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
]])

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME tidemark)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "turns blockchain webhooks into facts that your code can book")
set(CPACK_PACKAGE_DESCRIPTION "A daemon between blockchain-webhook providers and a handler of yours.
What a webhook claims is looked up on the chain, told once, in order and
signed when it is sure, and taken back when a reorg undoes it. What no
webhook brought is found by reading the chain a second time.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION net)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "ca-certificates, passwd") # TLS to nodes and handlers; useradd where systemd is not
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "systemd")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA
    ${CMAKE_SOURCE_DIR}/systemd/debian/postinst
    ${CMAKE_SOURCE_DIR}/systemd/debian/prerm
    ${CMAKE_SOURCE_DIR}/systemd/debian/postrm)
include(CPack)
