/** The file format in the help of import and export; packages/cli/README.md has it at length. */
export const formatHelp = `
The file: the first row names the columns, name is the one it needs.
  name        of the device
  hardwareId  what finds the device again; unique in the account
  platform
  services    such as ssh:22;web=http:8080, see below
  anything else is an attribute: site, net.ssid, $svc.categoryA; one that is called like a fixed column is
  written attributes.name. An empty cell is not set and changes nothing, "" is the empty string.

Services: apart by ";", each [!][name=]type[:host][:port].
  ssh:22                     type ssh, port 22, called ssh
  web=http:8080              type http, called web
  nas=smb:192.168.1.5:445    with a host; an IPv6 host stands in brackets: [fe80::1]
  ssh                        the type's usual port; ssh:- is without a port
  !web=http:8080             disabled
  A backslash goes before ; = : ! [ ] \\ in a name. A service that the row does not name stays as it is.`
