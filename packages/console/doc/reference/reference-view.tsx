import { useDocumentTitle } from '@mantine/hooks'
import type { GraphQLSchema } from 'graphql'
import { useEffect, useMemo } from 'react'
import type { DocLocation } from '../location.ts'
import { Overview } from './overview.tsx'
import classes from './reference.module.css'
import { indexSchema } from './schema-index.ts'
import { Sidebar } from './search-sidebar.tsx'
import { TypePage } from './type-details.tsx'
import { UnknownType } from './unknown-type.tsx'

export function ReferenceView({ schema, location }: { schema: GraphQLSchema; location: DocLocation }) {
  const index = useMemo(() => indexSchema(schema), [schema])
  const type = location.type === '' ? undefined : schema.getType(location.type)
  useDocumentTitle(location.type === '' ? 'Muster API reference' : `${location.anchor} · Muster API reference`)
  useEffect(() => scrollToAnchor(location.anchor), [location.anchor])
  return (
    <div className={classes.layout}>
      <Sidebar index={index} location={location} />
      <article className={classes.content}>
        {location.type === '' ? <Overview schema={schema} /> : null}
        {type === undefined ? null : <TypePage key={type.name} type={type} index={index} anchor={location.anchor} />}
        {location.type !== '' && type === undefined ? (
          <UnknownType name={location.type} entries={index.entries} />
        ) : null}
      </article>
    </div>
  )
}

/**
 * Scrolls to an entry, or to the top of the page for a type or an unknown entry. The browser cannot scroll to an entry
 * on another type's page, because the entry's element does not exist yet when the hash changes.
 */
function scrollToAnchor(anchor: string): void {
  const element = anchor.includes('.') ? document.getElementById(anchor) : null
  if (element === null) window.scrollTo({ top: 0 })
  else element.scrollIntoView({ block: 'start' })
}
