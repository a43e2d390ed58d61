import type { Attributes } from '@muster/client'
import type { Column } from '../output/column.ts'
import { findAttribute } from './names.ts'

/** Returns the column of an attribute. Any name that is not another column is an attribute name. */
export const attributeColumn = <Row extends { attributes?: Attributes }>(name: string): Column<Row> => ({
  name,
  value: ({ attributes }) => findAttribute(attributes ?? {}, name.replace(/^attributes\./, '')),
})
