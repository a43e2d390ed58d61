import { Readable } from 'node:stream'
import type { ResolvedFilter } from '@muster/filter'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { findKeyGrant, type KeyGrant } from '../../auth/key-grant.ts'
import { rejectionOfKey } from '../../auth/rejected-key.ts'
import { findSessionGrant } from '../../auth/sessions/sessions.ts'
import type { Database } from '../../db/database.ts'
import { downloadDatabase, retryWhenRateLimited } from '../../db/fair/user-database.ts'
import type { AddressOf } from '../../lib/client-address.ts'
import { includes, maskOf, type PermissionName } from '../../permissions.ts'
import { REQUEST_POINTS } from '../../rate-limits/point-prices.ts'
import { type Payer, payerOf, payerOfAddress, type RateLimits } from '../../rate-limits/rate-limits.ts'
import { spend, spendWhenAvailable } from '../../rate-limits/spend-points.ts'
import type { Reach } from '../../restriction.ts'
import type { Viewer } from '../../viewer.ts'
import { readReach } from '../restrictions/reach.ts'
import { type DownloadContent, type DownloadGrant, type ListName, readGrant } from './download-link.ts'

export interface DownloadDeps {
  db: Database
  linkKey: () => Buffer
  clock: () => Date
  rateLimits: RateLimits
  /**
   * If the membership of a person comes from a group, the server rejects the person's personal keys after this number
   * of milliseconds without single sign-on. 0 means never.
   */
  staleMs: number
  addressOf: AddressOf
  /** Identifies the account for load shedding, and waits for free memory. Throws UNAVAILABLE or RATE_LIMITED. */
  admit: (
    exchange: { request: FastifyRequest; reply: FastifyReply },
    operation: { accountId: string; name: string },
  ) => Promise<void> | undefined
}

export interface CsvList {
  list: ListName
  path: string
  fileName: string
  /** The name of the field that returns URLs of this list. */
  field: string
  /** The rate-limit cost of the first page, in points. */
  firstPoints: number
  /**
   * Whether the file can be downloaded only once. Its path then has no HEAD route, because a HEAD request would count
   * as the download.
   */
  once?: true
  /** Throws FORBIDDEN before it returns if the caller can no longer read an attribute that determines the content. */
  pages(download: Download): AsyncIterable<string>
}

export interface Download {
  db: Database
  accountId: string
  content: DownloadContent
  /**
   * Returns a filter for the devices that the caller could read at the last `charge`. Before the first `charge`, the
   * filter contains the devices that the caller could read at the start of the download. Returns undefined if the
   * caller could read all devices.
   */
  inside(): ResolvedFilter | undefined
  reader(): Pick<Viewer, 'restriction' | 'reach'>
  /**
   * Waits until the rate limit allows this cost, and charges it. Fails if the key or session that requested the link is
   * no longer allowed to download the list from the client's address.
   */
  charge(points: number): Promise<void>
  /**
   * Runs a read. If the account has too many statements in flight, waits instead of failing, because a failed download
   * has to start again.
   */
  read<Result>(run: (db: Database) => Promise<Result>): Promise<Result>
}

export function registerDownload(app: FastifyInstance, deps: DownloadDeps, csv: CsvList): void {
  const options = csv.once ? { exposeHeadRoute: false } : {}
  app.get<{ Querystring: { link?: unknown } }>(csv.path, options, async (request, reply) => {
    reply.header('cache-control', 'no-store')
    const grant = readLink(deps, csv, request.query.link)
    const address = deps.addressOf(request.raw)
    const admitted = grant && (await admit(deps, grant, address))
    if (grant === undefined || admitted === undefined) {
      spend(payerOfAddress(deps.rateLimits, address), REQUEST_POINTS, reply)
      const message = `this download link is invalid, has expired, or can no longer be used by its access key or session from this address: request a new link with ${csv.field}`
      const extensions = { reason: 'download-link', code: 'UNAUTHENTICATED' }
      return reply
        .code(401)
        .header('www-authenticate', 'Signature')
        .send({ errors: [{ message, extensions }] })
    }
    await deps.admit({ request, reply }, { accountId: grant.accountId, name: `GET ${csv.path}` })
    const payer = payerOf(deps.rateLimits, { ...grant, rateShare: admitted.rateShare })
    spend(payer, REQUEST_POINTS + csv.firstPoints, reply)
    const pages = csv.pages(downloadOf(deps, grant, { payer, address, admitted }))
    return reply
      .header('content-type', 'text/csv; charset=utf-8')
      .header('content-disposition', `attachment; filename="${csv.fileName}"`)
      .header('referrer-policy', 'no-referrer')
      .send(Readable.from(pages))
  })
}

function readLink(deps: DownloadDeps, { list }: CsvList, link: unknown): DownloadGrant | undefined {
  if (typeof link !== 'string') return undefined
  const grant = readGrant(link, { linkKey: deps.linkKey(), now: deps.clock() })
  return (grant?.content.selection?.list ?? 'events') === list ? grant : undefined
}

type Found = Pick<KeyGrant, 'permissions' | 'restriction'> & Partial<Pick<KeyGrant, 'rateShare'>>

type Admitted = Found & { reach: Reach | undefined }

/** Returns undefined if the key or session is not allowed to download the list now from this address. */
async function admit(deps: DownloadDeps, grant: DownloadGrant, address: string): Promise<Admitted | undefined> {
  const found = await findAdmitted(deps, grant, address)
  if (found === undefined || !includes(found.permissions, maskOf(neededPermissions(grant.content)))) return undefined
  const { restriction } = found
  const reach = restriction && (await readReach(deps.db, grant.accountId, restriction))
  return { ...found, reach }
}

async function findAdmitted(
  deps: DownloadDeps,
  { accountId, personId = accountId, accessKey, session }: DownloadGrant,
  address: string,
): Promise<Found | undefined> {
  if (accessKey !== undefined) {
    const found = await findKeyGrant(deps.db, accessKey)
    const rejection = rejectionOfKey(found, { now: deps.clock(), address, staleMs: deps.staleMs })
    return found?.accountId === accountId && rejection === undefined ? found : undefined
  }
  if (session === undefined) return undefined
  return findSessionGrant(deps, { accountId, personId, session })
}

function neededPermissions({ filter, selection }: DownloadContent): PermissionName[] {
  if (selection?.list === 'devices' || selection?.list === 'bulkReport') return ['DEVICE_READ']
  if (selection?.list === 'bulkSecrets') return ['DEVICE_READ', 'DEVICE_CREATE']
  return filter.devicesOnly === true ? ['EVENT_READ'] : ['EVENT_READ', 'AUDIT_READ']
}

function downloadOf(
  deps: DownloadDeps,
  grant: DownloadGrant,
  { payer, address, admitted }: { payer: Payer; address: string; admitted: Admitted },
): Download {
  const { accountId, content } = grant
  const db = downloadDatabase(deps.db, accountId)
  let current = admitted
  return {
    db,
    accountId,
    content,
    inside: () => current.reach?.devices,
    reader: () => ({ restriction: current.restriction, ...(current.reach && { reach: current.reach }) }),
    async charge(points) {
      await spendWhenAvailable(payer, points)
      const now = await admit(deps, grant, address)
      if (now === undefined)
        throw new Error(
          'the access key or session that requested this download can no longer download the list from this address',
        )
      current = now
    },
    read: (run) => retryWhenRateLimited(() => run(db)),
  }
}
