import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { settings } from '../../src/config.ts'
import { metricTable } from '../../src/metric-table.ts'
import { createMetrics } from '../../src/metrics.ts'

const folder = new URL('../../../../deploy/', import.meta.url)
const textOf = (name: string): string => readFileSync(new URL(name, folder), 'utf8')

interface Panel {
  title: string
  targets?: { expr: string }[]
}

it('uses only existing metrics in the dashboard', async () => {
  const { panels } = JSON.parse(textOf('grafana/muster.json')) as { panels: Panel[] }
  const used = panels.flatMap(({ title, targets = [] }) =>
    targets.flatMap(({ expr }) => {
      const names = expr.match(/\b(muster|process|nodejs)_[a-z0-9_]+/g) ?? []
      return names.length === 0 ? [`${title} uses no metric`] : names
    }),
  )
  const { text } = await createMetrics({ ofProcess: true }).text()
  const ofProcess = Array.from(text.matchAll(/^# TYPE (\S+)/gm), ([, name]) => name!)
  const own = Object.values(metricTable).flatMap(({ name, type }) =>
    type === 'histogram' ? ['_bucket', '_sum', '_count'].map((part) => `${name}${part}`) : [name],
  )
  expect(used.length).toBeGreaterThan(20)
  const known = new Set<string>([...own, ...ofProcess])
  expect(used.filter((name) => !known.has(name))).toEqual([])
})

const files = readdirSync(folder).filter((name) => /^(compose\..*|Dockerfile|.*\.service)$/.test(name))

it.each(files)('uses only existing settings in %s', (file) => {
  const known = new Set<string>(Object.values(settings).map(({ name }) => name))
  const named = textOf(file).match(/\bMUSTER_[A-Z_]+/g) ?? []
  expect(named).not.toEqual([])
  expect(named.filter((name) => !known.has(name))).toEqual([])
})
