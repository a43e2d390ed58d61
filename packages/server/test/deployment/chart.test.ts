import { execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { StatefulSet } from 'kubernetes-models/apps/v1'
import { Ingress } from 'kubernetes-models/networking.k8s.io/v1'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1'
import { Secret, Service } from 'kubernetes-models/v1'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { settings } from '../../src/config.ts'

const chart = new URL('../../../../deploy/helm/muster/', import.meta.url).pathname
/** The folder of Debian's Go libraries, which `.ci/run` installs. In CI, the tests must fail without them. */
const libraries = '/usr/share/gocode'
const hasLibraries = Boolean(process.env.CI) || existsSync(`${libraries}/src/github.com/Masterminds/sprig`)

const models = { StatefulSet, Ingress, PodDisruptionBudget, Secret, Service }

interface Resource {
  kind: string
  metadata: { name: string }
  // biome-ignore lint/suspicious/noExplicitAny: resources of any kind
  [name: string]: any
}

let folder: string
let program: string
beforeAll(async () => {
  if (!hasLibraries) return
  folder = await mkdtemp(join(tmpdir(), 'muster-chart-'))
  program = join(folder, 'render-chart')
  // Build with Debian's libraries, so that Go downloads no modules.
  const env = {
    ...process.env,
    GO111MODULE: 'off',
    GOPATH: libraries,
    GOCACHE: join(folder, 'cache'),
    GOFLAGS: '',
  }
  const source = new URL('./render-chart/main.go', import.meta.url).pathname
  await promisify(execFile)('go', ['build', '-o', program, source], { env })
}, 300_000)
afterAll(() => (hasLibraries ? rm(folder, { recursive: true, force: true }) : undefined))

async function render(values: object, name = 'muster'): Promise<Resource[]> {
  const child = spawn(program, [chart], { stdio: 'pipe' })
  child.stdin.end(JSON.stringify({ name, values }))
  const [output, error] = await Promise.all([text(child.stdout), text(child.stderr)])
  if (error !== '') throw new Error(error)
  const documents = parseAllDocuments(output).map((document) => document.toJS() as Resource | null)
  return documents.filter((resource) => resource !== null && resource.kind !== undefined) as Resource[]
}

/** Throws if a resource does not match the schema of its kind, or has a property that is not in the schema. */
function validate(resource: Resource): void {
  const Model = models[resource.kind as keyof typeof models] as unknown as new (
    data: object,
  ) => { validate(this: object): void }
  const read = new Set<string>()
  const prototype = Model.prototype as { validate(this: object): void }
  prototype.validate.call(Object.setPrototypeOf(recordReads(resource, '', read), prototype))
  const unknown = listPaths(resource).filter((path) => !read.has(path))
  if (unknown.length > 0) throw new Error(`${resource.kind} has unknown properties: ${unknown.join(', ')}`)
}

/** Copies a value. When a property of the copy is read, the copy adds the property's path to `read`. */
function recordReads(value: unknown, path: string, read: Set<string>): object {
  const copy = Object.entries(value as object).map(([name, inner]) => {
    const own = `${path}/${name}`
    const recorded = typeof inner === 'object' && inner !== null ? recordReads(inner, own, read) : inner
    const get = (): unknown => {
      read.add(own)
      return recorded
    }
    return [name, { enumerable: true, get }] as const
  })
  return Object.defineProperties(Array.isArray(value) ? [] : {}, Object.fromEntries(copy))
}

const listPaths = (value: unknown, path = ''): string[] =>
  typeof value !== 'object' || value === null
    ? []
    : Object.entries(value).flatMap(([name, inner]) => [`${path}/${name}`, ...listPaths(inner, `${path}/${name}`)])

const external = { databaseUrl: 'postgresql://muster:secret@db/muster', masterKey: 'A'.repeat(44) }

describe.skipIf(!hasLibraries)('the Helm chart', () => {
  it.each<[string, object, string[]]>([
    ['the defaults', {}, ['Secret', 'Service', 'Service', 'StatefulSet']],
    ['an existing secret', { existingSecret: 'own', mqtt: { enabled: false } }, ['Service', 'StatefulSet']],
    [
      'several pods, an ingress, and other options',
      {
        ...external,
        replicas: 3,
        publicUrl: 'https://muster.example.com',
        ingress: { enabled: true, className: 'nginx', tlsSecret: 'tls', annotations: { a: 'b' } },
        persistence: { storageClass: 'fast' },
        settings: { MUSTER_METRICS_TOKEN: '0123456789abcdef' },
        imagePullSecrets: [{ name: 'registry' }],
        nodeSelector: { disk: 'ssd' },
        tolerations: [{ key: 'own', operator: 'Exists' }],
        affinity: { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } },
        podAnnotations: { own: 'yes' },
        service: { annotations: { own: 'yes' } },
        mqtt: { type: 'LoadBalancer', annotations: { own: 'yes' } },
      },
      ['Ingress', 'PodDisruptionBudget', 'Secret', 'Service', 'Service', 'StatefulSet'],
    ],
    ['no volume', { persistence: { enabled: false } }, ['Secret', 'Service', 'Service', 'StatefulSet']],
    ['an existing volume', { persistence: { existingClaim: 'own' } }, ['Secret', 'Service', 'Service', 'StatefulSet']],
  ])('renders valid resources with %s', async (_name, values, kinds) => {
    const resources = await render(values)
    expect(resources.map(({ kind }) => kind).sort()).toEqual(kinds)
    for (const resource of resources) validate(resource)
  })

  it('is checked for misspelled properties and wrong types', async () => {
    const [resource] = (await render({})).filter(({ kind }) => kind === 'StatefulSet')
    resource!.spec.template.spec.containers[0].port = []
    expect(() => validate(resource!)).toThrow('/spec/template/spec/containers/0/port')
    resource!.spec.replicas = 'one'
    expect(() => validate(resource!)).toThrow('integer')
  })

  it.each([
    ['replicas above 1 require databaseUrl', { replicas: 2 }],
    ['replicas above 1 require masterKey', { replicas: 2, databaseUrl: external.databaseUrl }],
    ['citus.enabled requires databaseUrl', { citus: { enabled: true } }],
    ['citus.workerUrls requires citus.enabled', { ...external, citus: { workerUrls: ['postgresql://worker/muster'] } }],
    [
      'add DATABASE_URLS to that secret',
      { existingSecret: 'own', citus: { enabled: true, workerUrls: ['postgresql://worker/muster'] } },
    ],
    ['ingress.enabled requires ingress.host or publicUrl', { ingress: { enabled: true } }],
    ['serviceMonitor.enabled requires settings.MUSTER_METRICS_TOKEN', { serviceMonitor: { enabled: true } }],
  ])('rejects values that cannot work: %s', async (message, values) => {
    await expect(render(values)).rejects.toThrow(message)
  })

  it("passes the settings to the server, and selects the server's pods", async () => {
    const resources = await render(
      { ...external, replicas: 2, publicUrl: 'https://a.example', settings: { HOST: '::' } },
      'own',
    )
    const find = (kind: string): Resource => resources.find((resource) => resource.kind === kind)!
    expect(find('Secret').stringData).toEqual({
      DATABASE_URL: external.databaseUrl,
      MUSTER_MASTER_KEY: external.masterKey,
      HOST: '::',
    })
    const { template, selector, replicas } = find('StatefulSet').spec
    const [container] = template.spec.containers
    expect(replicas).toBe(2)
    expect(container.envFrom).toEqual([{ secretRef: { name: 'own-muster' } }])
    expect(container.env).toEqual([{ name: 'MUSTER_PUBLIC_URL', value: 'https://a.example' }])
    for (const kind of ['Service', 'PodDisruptionBudget']) {
      const { spec } = find(kind)
      expect(template.metadata.labels).toMatchObject(spec.selector.matchLabels ?? spec.selector)
    }
    expect(template.metadata.labels).toMatchObject(selector.matchLabels)
  })

  it('passes the settings of the cluster to the server', async () => {
    const workerUrls = ['postgresql://one/muster', 'postgresql://two/muster']
    const resources = await render({ ...external, citus: { enabled: true, shards: 64, workerUrls } })
    const find = (kind: string): Resource => resources.find((resource) => resource.kind === kind)!
    expect(find('Secret').stringData).toMatchObject({ DATABASE_URLS: workerUrls.join(',') })
    expect(find('StatefulSet').spec.template.spec.containers[0].env).toEqual([
      { name: 'MUSTER_CLUSTER', value: 'citus' },
      { name: 'MUSTER_CLUSTER_SHARDS', value: '64' },
    ])
  })

  it('uses only existing settings, and requires Kubernetes 1.28 or later', async () => {
    const known = new Set<string>(Object.values(settings).map(({ name }) => name))
    const named = (await readFile(join(chart, 'values.yaml'), 'utf8')).match(/\bMUSTER_[A-Z_]+/g)!
    expect(named.filter((name) => !known.has(name))).toEqual([])
    const { kubeVersion } = parse(await readFile(join(chart, 'Chart.yaml'), 'utf8'))
    expect(kubeVersion).toBe('>=1.28.0-0')
  })
})
