import { ActionIcon, Group, Select } from '@mantine/core'
import { IconArrowsMaximize, IconMinus, IconPlus } from '@tabler/icons-react'
import { instance } from '@viz-js/viz'
import type { GraphQLSchema } from 'graphql'
import { useEffect, useRef, useState } from 'react'
import { ErrorNotice } from '../../src/components/error-notice.tsx'
import { Loading } from '../../src/components/loading.tsx'
import page from '../doc-page.module.css'
import classes from './diagram-view.module.css'
import { describeGraph } from './schema-graph.ts'

const MIN_SCALE = 0.1
const MAX_SCALE = 2
const STEP = 1.25

/** Draws the objects, interfaces, and unions that are reachable from a root type, with links to the reference. */
export function DiagramView({ schema }: { schema: GraphQLSchema }) {
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].filter(
    (type) => type != null,
  )
  const [rootName, setRootName] = useState(roots[0]!.name)
  const { container, size, error, retry } = useDrawing(schema, rootName)
  const [scale, setScale] = useState<number>()

  const fit = (): number => Math.max(MIN_SCALE, Math.min(1, (container.current?.clientWidth ?? 0) / (size?.width ?? 1)))
  const shown = scale ?? (size === undefined ? 1 : Math.max(fit(), 0.6))
  const zoom = (factor: number): void => setScale(Math.max(MIN_SCALE, Math.min(MAX_SCALE, shown * factor)))
  return (
    <div className={classes.layout}>
      <h1 className={page.hiddenTitle}>Schema diagram</h1>
      <Group className={classes.tools} gap="xs">
        <Select
          aria-label="Root type"
          data={roots.map(({ name }) => name)}
          value={rootName}
          onChange={(name) => {
            if (name !== null) setRootName(name)
          }}
          allowDeselect={false}
          w={150}
        />
        <ActionIcon variant="default" size="lg" aria-label="Zoom out" onClick={() => zoom(1 / STEP)}>
          <IconMinus size={18} />
        </ActionIcon>
        <ActionIcon variant="default" size="lg" aria-label="Zoom in" onClick={() => zoom(STEP)}>
          <IconPlus size={18} />
        </ActionIcon>
        <ActionIcon variant="default" size="lg" aria-label="Fit to width" onClick={() => setScale(fit())}>
          <IconArrowsMaximize size={18} />
        </ActionIcon>
      </Group>
      {error === undefined ? null : (
        <ErrorNotice error={error} title="The diagram could not be drawn" onRetry={retry} />
      )}
      {size === undefined && error === undefined ? <Loading what="diagram" /> : null}
      <section
        ref={container}
        className={classes.drawing}
        aria-label="Diagram"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys scroll the diagram
        tabIndex={0}
        style={{ ['--diagram-width' as string]: `${(size?.width ?? 0) * shown}px` }}
      />
    </div>
  )
}

function useDrawing(schema: GraphQLSchema, rootName: string) {
  const container = useRef<HTMLElement>(null)
  const [drawing, setDrawing] = useState<{ size?: { width: number }; error?: unknown }>({})
  const [attempt, setAttempt] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each attempt draws again
  useEffect(() => {
    let mounted = true
    instance().then(
      (graphviz) => {
        if (!mounted) return
        const svg = graphviz.renderSVGElement(describeGraph(schema, schema.getType(rootName)!))
        const width = svg.viewBox.baseVal.width
        svg.removeAttribute('width')
        svg.removeAttribute('height')
        container.current?.replaceChildren(svg)
        setDrawing({ size: { width } })
      },
      (error: unknown) => mounted && setDrawing({ error }),
    )
    return () => {
      mounted = false
    }
  }, [schema, rootName, attempt])
  const retry = (): void => {
    setDrawing({})
    setAttempt((count) => count + 1)
  }
  return { container, ...drawing, retry }
}
