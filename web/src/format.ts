// SPDX-License-Identifier: MIT

export const count = (n: number | null | undefined): string =>
  n === null || n === undefined ? '–' : n.toLocaleString('en');

export function size(n: number | null): string {
  if (n === null) return '–';
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let i = 0;
  for (; n >= 1024 && i < units.length - 1; i++) n /= 1024;
  return `${i ? n.toFixed(1) : n} ${units[i]}`;
}

export function span(s: number): string {
  if (s < 90) return `${Math.round(s)} s`;
  if (s < 5400) return `${Math.round(s / 60)} min`;
  if (s < 172_800) return `${Math.round(s / 3600)} h`;
  return `${Math.round(s / 86_400)} d`;
}

export function seconds(s: number | null): string {
  if (s === null) return 'no data';
  if (Math.abs(s) < 1) return `${Math.round(s * 1000)} ms`;
  return s < 90 ? `${s.toFixed(1)} s` : span(s);
}

export const ago = (at: string | null, now: number): string =>
  at === null ? '–' : `${span(Math.max(0, (now - Date.parse(at)) / 1000))} ago`;

export const until = (at: string | null, now: number): string =>
  at === null ? '–' : `in ${span(Math.max(0, (Date.parse(at) - now) / 1000))}`;

export const words = (code: string): string => code.replaceAll('_', ' ');

/** 0x1234…cdef */
export const short = (hex: string): string =>
  hex.length > 14 ? `${hex.slice(0, 6)}…${hex.slice(-4)}` : hex;

/** 1:0x1234…cdef:7 */
export const shortId = (id: string): string => id.split(':').map(short).join(':');

export const clock = (at: string | number): string => {
  const d = new Date(at);
  return `${d.toISOString().slice(0, 10)} ${d.toISOString().slice(11, 23)}`;
};
export const stamp = (unix: number): string => clock(unix * 1000).slice(0, 19);

export const plural = (n: number, one: string, many = `${one}s`): string =>
  `${count(n)} ${n === 1 ? one : many}`;

/** A decoded argument, on a line. */
export const value = (v: unknown): string => (typeof v === 'string' ? v : JSON.stringify(v));
