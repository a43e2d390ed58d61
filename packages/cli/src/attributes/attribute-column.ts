import type { Attributes } from '@muster/client'
import type { Column } from '../output/column.ts'
import { findAttribute } from './nested-attributes.ts'

/** `name` is an attribute name, with or without the prefix `attributes.`. */
export const attributeColumn = <Row extends { attributes?: Attributes }>(name: string): Column<Row> => ({
  name,
  value: ({ attributes }) => findAttribute(attributes ?? {}, name.replace(/^attributes\./, '')),
})
