import { useMemo } from 'react'
import { useViewer } from './viewer.ts'

/** The reserved attributes that users can label, without the prefix `$svc.`. */
export const labeledFields = [
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

export type LabeledField = (typeof labeledFields)[number]

/** Returns a field's default label: `categoryA` becomes `Category A`. */
export const defaultLabel = (field: LabeledField): string =>
  `${field.startsWith('category') ? 'Category' : 'Status'} ${field.slice(-1)}`

/** Returns the name, without the prefix `$ui.`, of the setting that stores the user's label for a field. */
export const labelSetting = (field: LabeledField): string => `label.${field}`

/** Returns the label of an attribute that users can label, and other names unchanged. */
export function labelOfName(name: string, labels: Readonly<Record<LabeledField, string>>): string {
  const field = labeledFields.find((each) => name === `$svc.${each}`)
  return field === undefined ? name : labels[field]
}

export function useLabels(): Readonly<Record<LabeledField, string>> {
  const { settings } = useViewer()
  return useMemo(() => {
    const labels = labeledFields.map((field) => [field, settings[labelSetting(field)] || defaultLabel(field)])
    return Object.fromEntries(labels) as Record<LabeledField, string>
  }, [settings])
}
