import { type AttributeName, joinAttributeName } from './names/attribute-name.ts'
import type { Condition, ResolvedFilter, Subject } from './resolve/resolved.ts'

export interface FilterReads {
  /** Fields, each with its kind of object as a prefix, such as `device.state` and `service.port`. */
  readonly fields: ReadonlySet<string>
  /** Attributes of devices, including the devices of events. A name can be a group's name. */
  readonly deviceAttributes: ReadonlySet<string>
  readonly serviceAttributes: ReadonlySet<string>
  /** Whether the filter contains `any()`, which reads the base values of all attributes. */
  readonly isAnyAttribute: boolean
  readonly isServices: boolean
  readonly views: ReadonlySet<string>
}

/** Lists the data that a resolved filter reads. Excludes the data that its views read. */
export function readsOf(filter: ResolvedFilter | null): FilterReads {
  const reads = {
    fields: new Set<string>(),
    deviceAttributes: new Set<string>(),
    serviceAttributes: new Set<string>(),
    isAnyAttribute: false,
    isServices: false,
    views: new Set<string>(),
  }
  const addAttribute = (of: 'device' | 'service', name: AttributeName): void => {
    const names = of === 'device' ? reads.deviceAttributes : reads.serviceAttributes
    names.add(joinAttributeName(name))
  }
  const addSubject = (subject: Subject): void => {
    if (subject.type === 'field') reads.fields.add(`${subject.of}.${subject.name}`)
    else addAttribute(subject.of, subject.name)
  }
  const addCondition = (condition: Condition): void => {
    if (condition.type === 'word') for (const field of wordFields[condition.of]) reads.fields.add(field)
    else if (condition.type === 'any') reads.isAnyAttribute = true
    else if (condition.type === 'stale') addAttribute(condition.of, condition.name)
    else if (condition.type === 'view') reads.views.add(condition.id)
    else addSubject(condition.subject)
  }
  const add = (part: ResolvedFilter): void => {
    switch (part.type) {
      case 'and':
      case 'or':
        for (const operand of part.operands) add(operand)
        break
      case 'not':
        add(part.operand)
        break
      case 'services':
        reads.isServices = true
        if (part.condition !== null) add(part.condition)
        break
      default:
        addCondition(part)
    }
  }
  if (filter !== null) add(filter)
  return reads
}

export const wordFields = {
  device: ['device.name', 'device.hardwareId', 'device.id'],
  service: ['service.name', 'service.host', 'service.id'],
  event: ['event.target.name'],
} as const
