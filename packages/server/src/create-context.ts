import type { FastifyRequest } from 'fastify'
import type { Secrets } from './auth/secrets.ts'
import type { Config } from './config.ts'
import type { Context } from './context.ts'
import { workerChooser } from './db/cluster/choose-transaction-worker.ts'
import type { Database } from './db/database.ts'
import { isStandbyFailure } from './db/database-errors.ts'
import { queryDatabase, userDatabase } from './db/fair/user-database.ts'
import type { ReadRouter } from './db/replica/read-router.ts'
import { createFacetCache } from './features/facets/facet-cache.ts'
import { rowMeterOf } from './graphql/cost/row-meter.ts'
import { causeOf } from './graphql/error-mapping.ts'
import type { PreparedOperation } from './graphql/prepare-operation.ts'
import type { AlternativeContext, OperationStart } from './graphql/run-operation.ts'
import type { RateLimits } from './rate-limits/rate-limits.ts'
import type { Viewer } from './viewer.ts'

interface ContextDeps extends Pick<Context, 'feed' | 'outbound' | 'mailer' | 'nameCounts'> {
  config: Pick<Config, 'cluster' | 'firstRecord' | 'publicUrl' | 'oidcStale' | 'signIn'>
  db: Database
  readRouter?: ReadRouter | undefined
  secrets: Secrets
  clock?: () => Date
}

export const linkKeyOf = (secrets: Secrets): Buffer => secrets.deriveKey('download links')

export const clockOf = ({ clock = () => new Date() }: { clock?: () => Date }): (() => Date) => clock

/**
 * Returns a function that creates a context in which an operation reads from a replica or a cluster worker. The
 * returned function resolves to undefined if the request has no credentials or the operation can return at most one
 * object. It also does so if the replica is behind, or if the replica or the worker is unavailable.
 */
export function chooseContext(readRouter: ReadRouter, createContext: ReturnType<typeof contextOf>) {
  return async ({ request, viewer, operation }: OperationStart<Viewer>): Promise<AlternativeContext | undefined> => {
    if (viewer === null || operation.objectCount <= 1) return undefined
    const db = await readRouter.choose(viewer.accountId)
    if (db === undefined) return undefined
    const context = createContext(request, viewer, operation.kind)
    return {
      contextValue: { ...context, primary: context.db, db: queryDatabase(db, viewer.accountId) },
      failed({ errors = [] }) {
        const failure = errors.map(causeOf).find(isStandbyFailure)
        if (failure !== undefined) readRouter.failed(db, failure)
        return failure !== undefined
      },
    }
  }
}

export function contextOf(deps: ContextDeps, { storage }: RateLimits, needsOf: Context['needsOf']) {
  const { config, db, readRouter, secrets, feed, outbound, mailer, nameCounts } = deps
  const clock = clockOf(deps)
  const facetCache = createFacetCache()
  return (request: FastifyRequest, viewer: Viewer, kind: PreparedOperation['kind']): Context => ({
    db: (kind === 'query' ? queryDatabase : userDatabase)(db, viewer.accountId),
    chooseWorker:
      kind === 'query'
        ? undefined
        : workerChooser(readRouter, viewer.accountId, (worker) => userDatabase(worker, viewer.accountId)),
    viewer,
    log: request.log,
    clock,
    isCluster: config.cluster !== undefined,
    firstRecord: config.firstRecord,
    storage,
    origin: config.publicUrl ?? `${request.protocol}://${request.headers.host}`,
    linkKey: linkKeyOf(secrets),
    nameCounts,
    facetCache,
    rowMeter: rowMeterOf(request),
    feed,
    secrets,
    outbound,
    mailer,
    signIn: config.signIn,
    staleMs: config.oidcStale,
    needsOf,
  })
}
