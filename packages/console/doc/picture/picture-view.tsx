import { Container } from '@mantine/core'
import { type GraphQLSchema, introspectionFromSchema } from 'graphql'
import { useEffect, useRef, useState } from 'react'
import { ErrorNotice } from '../../src/components/error-notice.tsx'
import { Loading } from '../../src/components/loading.tsx'
import { loadVoyager } from './load-voyager.ts'
import classes from './picture-view.module.css'

/** Where Voyager keeps drawn pictures, to fetch them as data: addresses, which the policy of the page keeps out. */
const KEPT_PICTURES = 'VoyagerSVGCache'

/** The types and how they connect, drawn by GraphQL Voyager. */
export function PictureView({ schema }: { schema: GraphQLSchema }) {
  const ground = useRef<HTMLDivElement>(null)
  const [state, setState] = useState<{ loaded?: true; error?: unknown }>({})
  const [tries, setTries] = useState(0)

  // biome-ignore lint/correctness/useExhaustiveDependencies: another try is another drawing
  useEffect(() => {
    let wanted = true
    const drawing = new MutationObserver(() => {
      forgetPictures()
      if (ground.current !== null) nameControls(ground.current)
    })
    loadVoyager().then(
      ({ renderVoyager }) => {
        if (!wanted || ground.current === null) return
        forgetPictures()
        drawing.observe(ground.current, { childList: true, subtree: true })
        const element = document.createElement('div')
        ground.current.replaceChildren(element)
        renderVoyager(element, {
          introspection: { data: introspectionFromSchema(schema) },
          displayOptions: { skipRelay: false, skipDeprecated: false },
          hideDocs: window.matchMedia('(max-width: 900px)').matches,
        })
        setState({ loaded: true })
      },
      (error: unknown) => wanted && setState({ error }),
    )
    return () => {
      wanted = false
      drawing.disconnect()
    }
  }, [schema, tries])

  const again = (): void => {
    setState({})
    setTries((count) => count + 1)
  }
  return (
    <>
      <h1 className={classes.title}>Picture of the schema</h1>
      {state.error === undefined ? null : (
        <Container size="sm" py="xl">
          <ErrorNotice error={state.error} title="The picture could not be drawn" onRetry={again} />
        </Container>
      )}
      {state.loaded || state.error !== undefined ? null : <Loading what="picture" />}
      <div ref={ground} className={classes.ground} />
    </>
  )
}

const forgetPictures = (): void => localStorage.removeItem(KEPT_PICTURES)

/** Voyager leaves some without a name, which those need who do not see them. */
function nameControls(ground: HTMLElement): void {
  for (const button of ground.querySelectorAll('.eye-button')) button.setAttribute('aria-label', 'Show in the picture')
  for (const choice of ground.querySelectorAll('[role=combobox]')) choice.setAttribute('aria-label', 'Type to begin at')
}
