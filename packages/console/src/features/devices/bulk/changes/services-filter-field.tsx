import { type RefObject, useState } from 'react'
import { FilterField } from '../../../filters/filter-field.tsx'

interface ServicesFieldProps {
  description: string
  box: RefObject<HTMLDivElement | null>
}

export function ServicesField({ description, box }: ServicesFieldProps) {
  const [where, setWhere] = useState<string | null>(null)
  return (
    <FilterField
      kind="SERVICES"
      label="Services"
      description={`A filter for the services, such as port = 23, or id:* for all services. ${description}`}
      placeholder="port = 23"
      value={where}
      onChange={setWhere}
      box={box}
    />
  )
}

export function requireFilter(where: string | null): string {
  if (where === null) throw new Error('Enter a filter for the services, such as port = 23, or id:* for all services.')
  return where
}
