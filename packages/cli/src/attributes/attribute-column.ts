import type { Attributes } from '@muster/client'
import type { Column } from '../output/column.ts'
import { findAttribute } from './dotted-attributes.ts'

/** Returns a column for the values of an attribute. `name` can have the prefix `attributes.`. */
export const attributeColumn = <Row extends { attributes?: Attributes }>(name: string): Column<Row> => ({
  name,
  value: ({ attributes }) => findAttribute(attributes ?? {}, name.replace(/^attributes\./, '')),
})
