import { Container } from '@mantine/core'
import type { GraphQLSchema } from 'graphql'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { ErrorNotice } from '../src/components/error-notice.tsx'
import { Loading } from '../src/components/loading.tsx'
import { DocHeader } from './doc-header.tsx'
import classes from './doc-page.module.css'
import { type Place, usePlace, type View } from './place.ts'
import { ReferenceView } from './reference/reference-view.tsx'
import { useSchema } from './schema.ts'
import { ViewFault } from './view-fault.tsx'

// Each weighs far more than the rest of the page.
const PictureView = lazy(() => import('./picture/picture-view.tsx').then((part) => ({ default: part.PictureView })))
const TryView = lazy(() => import('./try/try-view.tsx').then((part) => ({ default: part.TryView })))

export function DocPage() {
  const place = usePlace()
  const { schema, error, again } = useSchema()
  return (
    <>
      <button type="button" className="skip-link" onClick={() => document.getElementById('content')?.focus()}>
        Skip to the content
      </button>
      <DocHeader view={place.view} />
      <main id="content" tabIndex={-1} style={{ outline: 'none' }}>
        {error === undefined ? null : (
          <Container size="sm" py="xl">
            <ErrorNotice error={error} title="The schema could not be loaded" onRetry={again} />
          </Container>
        )}
        {schema === undefined && error === undefined ? <Loading what="schema" /> : null}
        {schema === undefined ? null : <Views place={place} schema={schema} />}
      </main>
    </>
  )
}

function Views({ place, schema }: { place: Place; schema: GraphQLSchema }) {
  return (
    <>
      {place.view === 'reference' ? <ReferenceView schema={schema} place={place} /> : null}
      <KeptView name="picture" view={place.view}>
        <PictureView schema={schema} />
      </KeptView>
      <KeptView name="try" view={place.view}>
        <TryView schema={schema} />
      </KeptView>
    </>
  )
}

interface KeptViewProps {
  name: View
  view: View
  children: ReactNode
}

/** Made when it is first gone to; it then stays, with the picture drawn and the answer there, while others are shown. */
function KeptView({ name, view, children }: KeptViewProps) {
  const [wasShown, setWasShown] = useState(false)
  const isShown = name === view
  if (isShown && !wasShown) setWasShown(true)
  if (!isShown && !wasShown) return null
  return (
    <div hidden={!isShown} className={classes.whole}>
      <ViewFault>
        <Suspense fallback={<Loading what={name} />}>{children}</Suspense>
      </ViewFault>
    </div>
  )
}
