import { useDocumentTitle } from '@mantine/hooks'
import type { GraphQLSchema } from 'graphql'
import { useEffect, useMemo } from 'react'
import type { Place } from '../place.ts'
import { NoSuchType } from './no-such-type.tsx'
import { Overview } from './overview.tsx'
import classes from './reference.module.css'
import { indexSchema } from './schema-index.ts'
import { Sidebar } from './sidebar.tsx'
import { TypePage } from './type-page.tsx'

export function ReferenceView({ schema, place }: { schema: GraphQLSchema; place: Place }) {
  const index = useMemo(() => indexSchema(schema), [schema])
  const type = place.type === '' ? undefined : schema.getType(place.type)
  useDocumentTitle(place.type === '' ? 'Muster API reference' : `${place.anchor} · Muster API reference`)
  useEffect(() => goTo(place.anchor), [place.anchor])
  return (
    <div className={classes.layout}>
      <Sidebar index={index} place={place} />
      <article className={classes.content}>
        {place.type === '' ? <Overview schema={schema} /> : null}
        {type === undefined ? null : <TypePage key={type.name} type={type} index={index} anchor={place.anchor} />}
        {place.type !== '' && type === undefined ? <NoSuchType name={place.type} entries={index.entries} /> : null}
      </article>
    </div>
  )
}

/** What is linked to is drawn after the address has changed, too late for the browser to scroll there by itself. */
function goTo(anchor: string): void {
  const element = anchor.includes('.') ? document.getElementById(anchor) : null
  if (element === null) window.scrollTo({ top: 0 })
  else element.scrollIntoView({ block: 'start' })
}
