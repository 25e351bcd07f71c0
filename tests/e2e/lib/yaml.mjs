// SPDX-License-Identifier: MIT
// Writes a plain value as the YAML that a person would.

const plain = /^(\d+(ms|s|m|h|d|KiB|MiB|GiB)|[A-Za-z_/][A-Za-z0-9_./-]*)$/;
const words = /^(true|false|yes|no|on|off|null|y|n)$/i;

const scalar = (value) =>
  typeof value === 'string' && (!plain.test(value) || words.test(value))
    ? JSON.stringify(value)
    : String(value);
const isScalar = (value) => value === null || typeof value !== 'object';

export function yaml(value, indent = '') {
  if (isScalar(value)) return `${indent}${scalar(value)}\n`;
  if (Array.isArray(value)) {
    return value
      .map((item) =>
        isScalar(item)
          ? `${indent}- ${scalar(item)}\n`
          : `${indent}- ${yaml(item, `${indent}  `).slice(indent.length + 2)}`,
      )
      .join('');
  }
  return Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .map(([key, item]) => {
      if (isScalar(item)) return `${indent}${scalar(key)}: ${scalar(item)}\n`;
      if (Object.keys(item).length === 0)
        return `${indent}${scalar(key)}: ${Array.isArray(item) ? '[]' : '{}'}\n`;
      return `${indent}${scalar(key)}:\n${yaml(item, `${indent}  `)}`;
    })
    .join('');
}
