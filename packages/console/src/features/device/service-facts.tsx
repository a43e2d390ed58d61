import { Facts, Mono } from '../../components/facts.tsx'
import { Time } from '../../components/time.tsx'
import { portText } from '../services/service-cells.tsx'
import type { ServiceRowFragment } from '../services/services.generated.ts'

export function ServiceFacts({ service }: { service: ServiceRowFragment }) {
  return (
    <Facts
      facts={[
        { label: 'ID', value: <Mono text={service.id} />, copy: service.id },
        { label: 'Type', value: `${service.title}, ${portText(service)}` },
        { label: 'Host', value: service.host ?? 'the device itself', copy: service.host ?? undefined },
        { label: 'Enabled', value: service.enabled ? 'yes' : 'no' },
        { label: 'Added', value: <Time value={service.created} format="local" /> },
        { label: 'Last reported', value: <Time value={service.lastReported} /> },
      ]}
    />
  )
}
