/** For the full description of the format, see packages/cli/README.md. */
export const formatHelp = `
File format: the first row contains the column names. Only the "name" column is required.
  name        device name
  hardwareId  identifies the device; unique in the account
  platform    platform, such as Debian 12
  services    services, such as ssh:22;web=http:8080 (see below)
  Columns of read-only fields, such as state, created, or services.port, are ignored.
  Any other column is an attribute, such as site, net.ssid, or $svc.categoryA. For an attribute that has the same
  name as a field, write attributes.name. An empty cell changes nothing. "" is the empty string.

Services: entries separated by ";", each in the form [!][name=]type[:host][:port].
  ssh:22                     type ssh, port 22, named ssh
  web=http:8080              type http, named web
  nas=smb:192.168.1.5:445    with a host; write an IPv6 host in brackets: [fe80::1]
  ssh                        the type's default port; for no port, write ssh:-
  !web=http:8080             disabled
  In a name, write a backslash before each of these characters: ; = : ! [ ] \\
  Services that the row does not list remain unchanged.`
