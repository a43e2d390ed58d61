import type { Attributes } from '@muster/client'
import type { Column } from '../output/column.ts'
import { findAttribute } from './names.ts'

/** Returns the column of an attribute. A name that is not a known column is an attribute name. */
export const attributeColumn = <Row extends { attributes?: Attributes }>(name: string): Column<Row> => ({
  name,
  value: ({ attributes }) => findAttribute(attributes ?? {}, name.replace(/^attributes\./, '')),
})
