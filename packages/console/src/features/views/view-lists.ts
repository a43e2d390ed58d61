export const viewLists = {
  DEVICES: { to: '/devices', what: 'devices' },
  SERVICES: { to: '/services', what: 'services' },
  EVENTS: { to: '/events', what: 'events' },
} as const

export type FilterKind = keyof typeof viewLists
