import Fastify from 'fastify'

const app = Fastify()
app.post('/login', () => ({ data: { login: { id: process.env.ACCOUNT_ID } } }))
console.log(`ready at ${await app.listen({ host: '127.0.0.1', port: 0 })}`)
