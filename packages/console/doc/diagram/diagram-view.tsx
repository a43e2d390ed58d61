import { Container } from '@mantine/core'
import { type GraphQLSchema, introspectionFromSchema } from 'graphql'
import { useEffect, useRef, useState } from 'react'
import { ErrorNotice } from '../../src/components/error-notice.tsx'
import { Loading } from '../../src/components/loading.tsx'
import classes from './diagram-view.module.css'
import { loadVoyager } from './load-voyager.ts'

/** Voyager caches diagrams under this key and fetches them as data: URLs, which the content security policy blocks. */
const CACHE_KEY = 'VoyagerSVGCache'

/** A diagram of the types and their relations, drawn by GraphQL Voyager. */
export function DiagramView({ schema }: { schema: GraphQLSchema }) {
  const container = useRef<HTMLDivElement>(null)
  const [state, setState] = useState<{ loaded?: true; error?: unknown }>({})
  const [attempt, setAttempt] = useState(0)

  // biome-ignore lint/correctness/useExhaustiveDependencies: each attempt draws again
  useEffect(() => {
    let mounted = true
    const drawing = new MutationObserver(() => {
      clearVoyagerCache()
      if (container.current !== null) nameControls(container.current)
    })
    loadVoyager().then(
      ({ renderVoyager }) => {
        if (!mounted || container.current === null) return
        clearVoyagerCache()
        drawing.observe(container.current, { childList: true, subtree: true })
        const element = document.createElement('div')
        container.current.replaceChildren(element)
        renderVoyager(element, {
          introspection: { data: introspectionFromSchema(schema) },
          displayOptions: { skipRelay: false, skipDeprecated: false },
          hideDocs: window.matchMedia('(max-width: 900px)').matches,
        })
        setState({ loaded: true })
      },
      (error: unknown) => mounted && setState({ error }),
    )
    return () => {
      mounted = false
      drawing.disconnect()
    }
  }, [schema, attempt])

  const retry = (): void => {
    setState({})
    setAttempt((count) => count + 1)
  }
  return (
    <>
      <h1 className={classes.title}>Schema diagram</h1>
      {state.error === undefined ? null : (
        <Container size="sm" py="xl">
          <ErrorNotice error={state.error} title="The diagram could not be drawn" onRetry={retry} />
        </Container>
      )}
      {state.loaded || state.error !== undefined ? null : <Loading what="diagram" />}
      <div ref={container} className={classes.container} />
    </>
  )
}

const clearVoyagerCache = (): void => localStorage.removeItem(CACHE_KEY)

/** Adds the accessible names that Voyager's controls lack. */
function nameControls(container: HTMLElement): void {
  for (const button of container.querySelectorAll('.eye-button'))
    button.setAttribute('aria-label', 'Show in the diagram')
  for (const select of container.querySelectorAll('[role=combobox]')) select.setAttribute('aria-label', 'Root type')
}
