import { Container } from '@mantine/core'
import type { GraphQLSchema } from 'graphql'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { ErrorNotice } from '../src/components/error-notice.tsx'
import { Loading } from '../src/components/loading.tsx'
import { DocHeader } from './doc-header.tsx'
import classes from './doc-page.module.css'
import { type DocLocation, useDocLocation, type View } from './location.ts'
import { ReferenceView } from './reference/reference-view.tsx'
import { useSchema } from './schema.ts'
import { ViewErrorBoundary } from './view-error-boundary.tsx'

// Load these views separately, because each is much larger than the rest of the page.
const DiagramView = lazy(() => import('./diagram/diagram-view.tsx').then((module) => ({ default: module.DiagramView })))
const TryView = lazy(() => import('./try/try-view.tsx').then((module) => ({ default: module.TryView })))

export function DocPage() {
  const location = useDocLocation()
  const { schema, error, retry } = useSchema()
  return (
    <>
      <button type="button" className="skip-link" onClick={() => document.getElementById('content')?.focus()}>
        Skip to content
      </button>
      <DocHeader view={location.view} />
      <main id="content" tabIndex={-1} style={{ outline: 'none' }}>
        {error === undefined ? null : (
          <Container size="sm" py="xl">
            <ErrorNotice error={error} title="The schema could not be loaded" onRetry={retry} />
          </Container>
        )}
        {schema === undefined && error === undefined ? <Loading what="schema" /> : null}
        {schema === undefined ? null : <Views location={location} schema={schema} />}
      </main>
    </>
  )
}

function Views({ location, schema }: { location: DocLocation; schema: GraphQLSchema }) {
  return (
    <>
      {location.view === 'reference' ? <ReferenceView schema={schema} location={location} /> : null}
      <PersistentView name="diagram" view={location.view}>
        <DiagramView schema={schema} />
      </PersistentView>
      <PersistentView name="try" view={location.view}>
        <TryView schema={schema} />
      </PersistentView>
    </>
  )
}

/** Keeps a view mounted once it has been shown, so that it keeps its state while the page shows another view. */
function PersistentView({ name, view, children }: { name: View; view: View; children: ReactNode }) {
  const [wasShown, setWasShown] = useState(false)
  const isShown = name === view
  if (isShown && !wasShown) setWasShown(true)
  if (!isShown && !wasShown) return null
  return (
    <div hidden={!isShown} className={classes.whole}>
      <ViewErrorBoundary>
        <Suspense fallback={<Loading what={name} />}>{children}</Suspense>
      </ViewErrorBoundary>
    </div>
  )
}
