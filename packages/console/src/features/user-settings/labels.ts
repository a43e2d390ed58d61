import { useMemo } from 'react'
import { useViewer } from './viewer.ts'

/** The ten reserved values of a device, as GraphQL fields. Their attribute names are `$svc.` and the field. */
export const labelledFields = [
  'categoryA',
  'categoryB',
  'categoryC',
  'categoryD',
  'categoryE',
  'statusA',
  'statusB',
  'statusC',
  'statusD',
  'statusE',
] as const

export type LabelledField = (typeof labelledFields)[number]

/** `categoryA` → `Category A`, what the field is called until the person renames it. */
export const defaultLabel = (field: LabelledField): string =>
  `${field.startsWith('category') ? 'Category' : 'Status'} ${field.slice(-1)}`

/** Where the person's own label is kept, below `$ui`. */
export const labelSetting = (field: LabelledField): string => `label.${field}`

/** What the person calls each of the ten. */
export function useLabels(): Readonly<Record<LabelledField, string>> {
  const { settings } = useViewer()
  return useMemo(() => {
    const labels = labelledFields.map((field) => [field, settings[labelSetting(field)] || defaultLabel(field)])
    return Object.fromEntries(labels) as Record<LabelledField, string>
  }, [settings])
}
