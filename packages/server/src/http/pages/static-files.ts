import type { FastifyReply } from 'fastify'
import { consoleHeaders } from './console-headers.ts'
import { type NotBuilt, notBuiltPage } from './not-built-page.ts'

export const YEAR_SECONDS = 365 * 86_400

/** Returns whether a relative path stays in its folder. Returns false for hidden files and unusual characters. */
export const isSafePath = (name: string): boolean => name.split('/').every((part) => /^[\w@-][\w.~-]*$/.test(part))

export const sendNotBuilt = (reply: FastifyReply, notBuilt: NotBuilt): FastifyReply =>
  reply
    .code(503)
    .headers({ ...consoleHeaders('index.html'), 'cache-control': 'no-store' })
    .type('text/html; charset=utf-8')
    .send(notBuiltPage(notBuilt))
