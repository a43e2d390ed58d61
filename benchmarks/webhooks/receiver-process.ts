// This program prints its port. Whenever it reads data from standard input, it prints the number of requests so far.
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
