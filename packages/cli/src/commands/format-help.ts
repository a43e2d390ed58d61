/** A summary of the file format for the help of import and export. packages/cli/README.md has the full description. */
export const formatHelp = `
File format: the first row names the columns. Only the column name is required.
  name        name of the device
  hardwareId  identifies the device; unique in the account
  platform
  services    such as ssh:22;web=http:8080, see below
  Any other column is an attribute: site, net.ssid, $svc.categoryA. Write attributes.name for an attribute with
  the name of a fixed column. An empty cell changes nothing. "" is the empty string.

Services: separated by ";", each [!][name=]type[:host][:port].
  ssh:22                     type ssh, port 22, named ssh
  web=http:8080              type http, named web
  nas=smb:192.168.1.5:445    with a host; write an IPv6 host in brackets: [fe80::1]
  ssh                        the type's default port; ssh:- has no port
  !web=http:8080             disabled
  In a name, write a backslash before ; = : ! [ ] \\. Services that the row does not name are unchanged.`
