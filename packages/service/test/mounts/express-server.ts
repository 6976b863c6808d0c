import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { createService } from '../../src/index.ts'
import { operations } from './campaign-operations.ts'

// Started by express.test.ts, below the path in its argument. It prints its port.
const [, , mountPath = '/'] = process.argv
const service = createService({ operations, publicPath: mountPath === '/' ? '' : mountPath })
const app = express()
app.get('/hello', (_request, response) => void response.send('hello'))
// Before any body parser, so that the service can read the body.
app.use(mountPath, service.listener)
app.use(express.json())
app.post('/echo', (request, response) => void response.json(request.body))
const server = app.listen(0, '127.0.0.1')
await once(server, 'listening')
process.stdout.write(`${(server.address() as AddressInfo).port}\n`)
