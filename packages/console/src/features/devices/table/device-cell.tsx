import { Hint } from '../../../components/hint.tsx'
import { StateBadge } from '../../../components/state-badge.tsx'
import { Time } from '../../../components/time.tsx'
import { attributeOf, attributeValue, type Column } from '../columns/columns.ts'
import type { DeviceRowFragment } from '../devices.generated.ts'
import classes from './device-cell.module.css'
import { DeviceLink } from './device-link.tsx'

/** Renders a cell with plain elements, because a page can contain a thousand cells. */
export function DeviceCell({ device, column: { id } }: { device: DeviceRowFragment; column: Column }) {
  switch (id) {
    case 'name':
      return <DeviceLink id={device.id} name={device.name} />
    case 'state':
      return <StateBadge state={device.state} since={device.stateSince} />
    case 'services':
      return <Services services={device.services} />
    case 'created':
      return <Time value={device.created} />
    case 'lastReported':
      return <Time value={device.lastReported} />
    case 'id':
      return <span className={classes.id}>{device.id}</span>
    default:
      return <Value text={cellValue(device, id)} />
  }
}

function cellValue(device: DeviceRowFragment, columnId: string): string | null | undefined {
  const attribute = attributeOf(columnId)
  if (attribute !== undefined) return attributeValue(device.attributes, attribute)
  return device[columnId as 'platform' | 'hardwareId' | 'categoryA']
}

/** Shows a value on one line. The tooltip and the device's page show the value unchanged. */
function Value({ text }: { text: string | null | undefined }) {
  if (text === null || text === undefined) return null
  return <span title={text}>{text.replaceAll(/\s+/g, ' ')}</span>
}

const SHOWN_SERVICES = 3

function Services({ services }: Pick<DeviceRowFragment, 'services'>) {
  if (services.length === 0) return null
  const rest = services.slice(SHOWN_SERVICES)
  return (
    <>
      {services.slice(0, SHOWN_SERVICES).map((service) => (
        <span key={service.id} className={classes.service} data-state={service.state} title={describeService(service)}>
          {service.name}
        </span>
      ))}
      {rest.length === 0 ? null : (
        <Hint className={classes.more} label={() => rest.map(({ name }) => name).join(', ')}>
          +{rest.length}
        </Hint>
      )}
    </>
  )
}

const describeService = ({ name, title, port, state }: DeviceRowFragment['services'][number]): string =>
  `${name}: ${title}${port === null ? '' : ` on port ${port}`}, ${state}`
