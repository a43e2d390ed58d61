// This program prints its port and then, for each line of input, the number of received requests.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

let count = 0
const server = createServer((request, response) => {
  count++
  request.resume()
  response.end()
})
server.listen(0, '127.0.0.1', () => console.log(String((server.address() as AddressInfo).port)))
process.stdin.on('data', () => console.log(String(count)))
process.stdin.on('end', () => process.exit())
