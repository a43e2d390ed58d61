import { randomUUID } from 'node:crypto'
import type { Server } from 'node:http'
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyRequest,
  type FastifyServerOptions,
  LogController,
} from 'fastify'
import type { Authentication } from './auth/authenticate.ts'
import { createOpenStreams } from './auth/open-streams.ts'
import type { Secrets } from './auth/secrets.ts'
import { registerSessionCookies } from './auth/sessions/session-strategy.ts'
import { registerSignIn, type SignInOptions } from './auth/sessions/sign-in/sign-in-routes.ts'
import { openProvider } from './auth/sessions/single-sign-on/provider-from-settings.ts'
import type { Config } from './config.ts'
import { chooseContext, clockOf, contextOf, linkKeyOf } from './create-context.ts'
import type { Database } from './db/database.ts'
import type { ReadRouter } from './db/replica/read-router.ts'
import { commandLineKeys } from './features/access-keys/command-line-key.ts'
import { createNameCounts } from './features/attributes/names/count-attribute-names.ts'
import { changesOnlyOwnSettings } from './features/attributes/settings/own-settings.ts'
import { reportCsv, secretsCsv } from './features/bulk/downloads/job-downloads.ts'
import { devicesCsv } from './features/devices/devices-download.ts'
import { type DownloadDeps, registerDownload } from './features/downloads/serve-download.ts'
import { eventsCsv } from './features/events/download/events-download.ts'
import type { Feed } from './features/events/feed/feed.ts'
import { createRunOnce } from './features/idempotency/run-once.ts'
import { reportRoute } from './features/presence/report-route.ts'
import { registerRoute } from './features/registration-codes/register-route.ts'
import { withReach } from './features/restrictions/reach.ts'
import { invitationPage } from './features/users/invitations/join-as-new-person.ts'
import { recordAuditEntry, recordSignIn } from './features/users/record-user-events.ts'
import { ssoPeople } from './features/users/single-sign-on/admit-person.ts'
import { assertPermissions, fieldRules, publicFields } from './fields/field-permissions.ts'
import { writtenFields } from './fields/fields-written-from-rows.ts'
import { listBounds } from './fields/list-bounds.ts'
import { isOpenToRestricted } from './fields/restricted-fields.ts'
import { rowCosts } from './fields/row-costs.ts'
import { printSdl } from './graphql/assemble.ts'
import { createExecutor } from './graphql/prepare-operation.ts'
import type { AfterOperation, Requester } from './graphql/run-operation.ts'
import { type GraphqlRouteInput, registerGraphqlRoute } from './graphql/transport/http-route.ts'
import { registerStreamRoute } from './graphql/transport/stream-route.ts'
import type { RequestLoad } from './http/average-load.ts'
import { createListener } from './http/connections/listener.ts'
import { corsHeaders, registerCors } from './http/cors.ts'
import { type DeviceRoute, registerDeviceRoutes } from './http/device-route.ts'
import { registerErrorHandler, registerNotFound, sendClientError, sendError } from './http/error-responses.ts'
import { registerHealth } from './http/health.ts'
import { isHttps } from './http/is-https.ts'
import { registerMetrics } from './http/metrics.ts'
import { limitCallers } from './http/overload/limit-callers.ts'
import { rejectCompressedBodies } from './http/overload/request-bodies.ts'
import { registerConsole } from './http/pages/console.ts'
import { registerDocs } from './http/pages/docs-site.ts'
import { registerRequestId } from './http/request-id.ts'
import { recordRequests } from './http/request-records.ts'
import { registerSecurityHeaders, securityHeaders } from './http/security-headers.ts'
import { clientAddress } from './lib/client-address.ts'
import { openMailer } from './mail/background-mailer.ts'
import type { Metrics } from './metrics.ts'
import type { Outbound } from './outbound/outbound-post.ts'
import { createAccountSizes } from './rate-limits/account-sizes.ts'
import { addRateLimitHeaders } from './rate-limits/rate-limit-headers.ts'
import { createRateLimits, type RateLimits } from './rate-limits/rate-limits.ts'
import { createRequestCharges } from './rate-limits/request-charges.ts'
import { deprecationHeaders } from './rest/deprecation-headers.ts'
import { registerRest } from './rest/register-rest.ts'
import { buildSchema } from './schema.ts'
import type { ServedCertificate } from './tls/certificate-watch.ts'
import { traceOperations } from './tracing/graphql-spans.ts'
import { traceRequests } from './tracing/request-spans.ts'
import type { Tracing } from './tracing/spans.ts'
import type { Viewer } from './viewer.ts'

export interface AppDeps {
  config: Config
  db: Database
  /** Chooses the replica or cluster worker for a list query. If undefined, list queries read from `db`. */
  readRouter?: ReadRouter | undefined
  authenticate: Authentication['authenticate']
  /**
   * Returns why a viewer's streams must end: the viewer's credentials are no longer valid, or the viewer's access has
   * changed. Returns undefined if the streams can continue.
   */
  rejectionOf: Authentication['rejectionOf']
  countUse?: Authentication['countUse']
  secrets: Secrets
  /** The app wakes the feed after each mutation, and after events of sign-in routes and device routes. */
  feed: Feed
  outbound: Outbound
  /** If undefined, the app creates the limits from the settings and counts only this process's requests. */
  rateLimits?: RateLimits
  load?: RequestLoad
  /** If undefined, the app does not serve /metrics. */
  metrics?: Metrics
  tracing?: Tracing | undefined
  certificate?: ServedCertificate | undefined
  log: FastifyBaseLogger
  clock?: () => Date
  /** If false, the server does not compile documents, and graphql-js executes all of them. */
  jit?: boolean
}

/** Assembles the server. The order of the calls matters, because hooks run in the order of their registration. */
export async function buildApp(deps: AppDeps): Promise<FastifyInstance> {
  const browserHeaders = securityHeaders(isHttps(deps.config))
  const options: FastifyServerOptions<Server> = {
    loggerInstance: deps.log,
    genReqId: () => randomUUID(),
    logController: new LogController({ disableRequestLogging: true }),
    forceCloseConnections: 'idle',
    frameworkErrors: (error, request, reply) => sendError(error, request, reply.headers(commonHeaders(request))),
    // The default limit of 100 characters is too short for the REST API, whose path parameters can be percent-encoded
    // attribute names and contexts.
    routerOptions: { maxParamLength: 4_096 },
    clientErrorHandler: (error, socket) => sendClientError(error, socket, browserHeaders),
  }
  const app = createListener(options, deps)
  const addressOf = clientAddress(deps.config.trustedProxies)
  const rateLimits = deps.rateLimits ?? createRateLimits(deps)
  const rateLimitHeadersFor = addRateLimitHeaders(app, rateLimits, addressOf)
  const corsHeadersOf = corsHeaders(deps.config.corsOrigins)
  const commonHeaders = (request: FastifyRequest): Record<string, string> => ({
    'x-request-id': request.id,
    ...browserHeaders,
    ...deprecationHeaders(request.url),
    ...corsHeadersOf(request),
    ...rateLimitHeadersFor(request),
  })
  const callers = limitCallers(app, {
    config: deps.config,
    addressOf: ({ raw }: FastifyRequest) => addressOf(raw),
    headersOf: commonHeaders,
    isExhausted: (address, key) => rateLimits.failures.wait(address, key) !== undefined,
    isExempt: reportsState,
    isLongLived,
    metrics: deps.metrics,
  })
  registerRequestId(app)
  const spans = deps.tracing && traceRequests(app, deps.tracing, { isExempt: reportsState })
  registerSecurityHeaders(app, browserHeaders)
  registerErrorHandler(app)
  registerSessionCookies(app)
  const schema = buildSchema()
  assertPermissions(schema)
  const mailer = openMailer(app, deps.config, deps.log)
  const nameCounts = createNameCounts(deps)
  app.addHook('onClose', nameCounts.close)
  const createContext = contextOf({ ...deps, mailer, nameCounts }, rateLimits, (...given) => executor.needsOf(...given))
  const charges = createRequestCharges(rateLimits, addressOf, createAccountSizes(deps.db))
  const beforeRequest = (requester: Requester<Viewer>): void => {
    if (requester.viewer !== null) callers.identify(requester.request, requester.viewer)
    callers.assertReadsResponses(requester.request)
    charges.chargeRequest(requester)
  }
  recordRequests(app, { metrics: deps.metrics, logsAll: deps.config.logRequests, traceIdOf: spans?.traceIdOf })
  registerCors(app, deps.config.corsOrigins, corsHeadersOf)
  rejectCompressedBodies(app, commonHeaders)
  deps.load?.count(app, isLongLived)
  registerHealth(app, deps.db, deps.config)
  if (deps.metrics !== undefined) registerMetrics(app, { ...deps.config, metrics: deps.metrics })
  const executor = createExecutor({
    schema,
    listBounds,
    rowCosts: rowCosts(deps.config),
    fieldRules,
    isOpenToRestricted,
    publicFields,
    writers: writtenFields,
    jit: deps.jit ?? true,
    onDocument: deps.metrics?.counter('documents'),
  })
  deps.metrics?.gauge('documentCacheBytes', () => executor.cachedBytes)
  let sdl: string | undefined
  const graphql: GraphqlRouteInput<Viewer> = {
    executor,
    path: '/graphql/v1',
    sdl: () => (sdl ??= printSdl(schema)),
    authenticate: async (request, rawBody) => withReach(deps.db, await deps.authenticate(request, rawBody)),
    beforeRequest,
    onRejected: charges.chargeRejected,
    // Requests without credentials can run only public operations, and no public field reads the context.
    buildContext: (request, viewer, kind) => (viewer === null ? {} : createContext(request, viewer, kind)),
    ...(deps.readRouter && { chooseContext: chooseContext(deps.readRouter, createContext) }),
    reserveResponse: ({ reply, operation }) => callers.reserve(reply, operation),
    beforeOperation: (start) => {
      const charged = charges.chargeOperation(start)
      const after = (refund: AfterOperation) => (read: Parameters<NonNullable<AfterOperation>>[0]) => {
        refund?.(read)
        if (start.operation.kind === 'mutation') deps.feed.wake()
      }
      return charged instanceof Promise ? charged.then(after) : after(charged)
    },
    countUse: deps.countUse,
    isOwnChange: changesOnlyOwnSettings,
    runOnce: createRunOnce({ db: deps.db, clock: clockOf(deps) }),
    around: deps.tracing && traceOperations(deps.tracing),
    onInternal: (error, request) => request.log.error({ err: error }, 'a request failed because of an internal error'),
  }
  registerGraphqlRoute(app, graphql)
  const streams = createOpenStreams({ perKey: deps.config.streamsPerKey, rejectionOf: deps.rejectionOf })
  registerStreamRoute(app, { ...graphql, ...streams, chargeEvents: charges.chargeEvents, path: STREAM_PATH })
  registerRest(app, graphql)
  const downloads: DownloadDeps = {
    db: deps.db,
    linkKey: () => linkKeyOf(deps.secrets),
    clock: clockOf(deps),
    rateLimits,
    staleMs: deps.config.oidcStale,
    addressOf,
    admit: ({ request, reply }, { accountId, name }) => {
      callers.identify(request, { accountId })
      return callers.reserve(reply, { name, objectCount: 64 })
    },
  }
  for (const csv of [eventsCsv, devicesCsv, reportCsv, secretsCsv(deps.secrets, clockOf(deps))])
    registerDownload(app, downloads, csv)
  registerDeviceRoutes(app, { routes: deviceRoutes(deps, rateLimits), rateLimits, addressOf })
  const provider = await openProvider(app, deps.config)
  registerSignIn(app, { ...signInOf(deps), provider, addressOf, beforeRequest })
  registerConsole(app)
  registerDocs(app)
  registerNotFound(app)
  return app
}

/**
 * Devices authenticate with a registration code or their secret, so these routes do not use the authentication
 * strategies.
 */
function deviceRoutes(deps: AppDeps, { failures, storage }: RateLimits): DeviceRoute[] {
  const onChange = (): void => deps.feed.wake()
  const shared = { db: deps.db, clock: clockOf(deps), failed: failures, storage, onChange }
  return [registerRoute(shared), reportRoute(shared)]
}

/** Configures console sign-in. Records each sign-in as an event in each of the person's accounts. */
function signInOf(deps: AppDeps): Omit<SignInOptions, 'addressOf' | 'beforeRequest' | 'provider'> {
  const { db, secrets, config, log, feed } = deps
  return {
    db,
    secrets,
    config,
    log,
    clock: clockOf(deps),
    onSignIn: (signIn) => recordSignIn(db, signIn).then(() => feed.wake()),
    record: recordAuditEntry,
    commandLineKeys: commandLineKeys({ db, secrets, clock: clockOf(deps), signIn: config.signIn }),
    invitations: invitationPage({ db, clock: clockOf(deps) }),
    people: ssoPeople({ db, log, clock: clockOf(deps), signUp: config.oidcSignUp }),
    onRecorded: () => feed.wake(),
  }
}

const STREAM_PATH = '/graphql/v1/stream'

const isLongLived = ({ routeOptions }: FastifyRequest): boolean => routeOptions.url === STREAM_PATH

const reportsState = (url: string): boolean => /^\/(healthz|readyz|metrics)(\?|$)/.test(url)
