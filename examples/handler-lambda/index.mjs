// SPDX-License-Identifier: MIT
// A handler for Tidemark as an AWS Lambda behind a function URL (payload format 2.0, auth type NONE:
// the signature is what says who calls). Needs no package: Node checks the signature itself.
import { createHmac, timingSafeEqual } from 'node:crypto';

const tolerance = 5 * 60; // seconds that a message may be old
const key = Buffer.from(process.env.TIDEMARK_SECRET.replace(/^whsec_/, ''), 'base64');

function verified(body, headers) {
  const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': given = '' } = headers;
  if (!id || !(Math.abs(Date.now() / 1000 - Number(at)) <= tolerance)) return false;
  const own = createHmac('sha256', key).update(`${id}.${at}.`).update(body).digest();
  return given.split(' ').some((signature) => {
    const [version, mac] = signature.split(',');
    const theirs = Buffer.from(mac ?? '', 'base64');
    return version === 'v1' && theirs.length === own.length && timingSafeEqual(theirs, own);
  });
}

/**
 * `book` is yours: one transaction that books each of the messages (with `batch` several) unless its
 * id was booked before.
 */
export function handlerWith(book) {
  return async (event) => {
    const body = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8');
    if (!verified(body, event.headers)) return { statusCode: 401 };
    await book([JSON.parse(body.toString())].flat());
    return { statusCode: 204 }; // a throw is a 500 or 502, and the message comes again
  };
}
