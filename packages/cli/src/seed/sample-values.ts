// Do not change these values of sample fleets or their order: the same hash must always pick the same value.

export const kinds = ['gateway', 'sensor', 'camera', 'kiosk', 'router', 'plc', 'meter', 'printer', 'nas', 'signage']

export const sites = [
  ...['oslo', 'bergen', 'københavn', 'malmö', 'stockholm', 'göteborg', 'helsinki', 'tallinn', 'riga', 'vilnius'],
  ...['gdańsk', 'warszawa', 'berlin', 'hamburg', 'köln', 'münchen', 'zürich', 'genève', 'lyon', 'paris', 'nantes'],
  ...['bilbao', 'madrid', 'porto', 'lisboa', 'milano', 'napoli', 'athína', 'london', 'leeds', 'glasgow', 'dublin'],
  ...['boston', 'chicago', 'denver', 'austin', 'são paulo', 'nairobi', 'osaka', 'auckland'],
]

export const platforms = [
  ...['Debian 12 x86_64', 'Debian 12 arm64', 'Ubuntu Core 24 arm64', 'Raspberry Pi OS 12 arm64', 'Yocto 5.0 armv7'],
  ...['OpenWrt 23.05 mips', 'Windows 11 IoT', 'Windows Server 2022', 'Android 14', 'FreeRTOS 11', 'Zephyr 3.7', null],
]

export const firmware = ['1.8.2', '2.0.0', '2.1.4', '2.3.0', '2.4.1', '3.0.0-rc2']
export const networks = ['plant', 'office', 'guest', 'ot-vlan-12', 'lte', 'warehouse 5 GHz']
export const customers = ['Northwind', 'Contoso', 'Fabrikam', 'Adventure Works', 'Wingtip', 'Tailspin', 'Litware']
export const statuses = ['ok', 'ok', 'ok', 'ok', 'ok', 'update due', 'warning', 'error', null]

/** Services of sample devices: name, application type ID, and port. */
export const services: readonly (readonly [name: string, application: number, port: number])[] = [
  ['ssh', 28, 22],
  ['web', 7, 8080],
  ['metrics', 94, 9100],
  ['admin', 8, 443],
  ['desktop', 4, 5900],
  ['modbus', 70, 502],
  ['broker', 60, 1883],
  ['video', 80, 554],
]
