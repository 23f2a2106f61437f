// A server under measurement: answers its parent's questions about its own cost.
import { createAdaptorServer } from '@hono/node-server'

export const listen = (fetch) => {
  const server = createAdaptorServer({ fetch })
  server.listen(0, '127.0.0.1', () => report(`http://127.0.0.1:${server.address().port}`))
}

export const report = (url) => {
  const cost = () => ({ cpu: process.cpuUsage(), rss: process.memoryUsage().rss })
  process.on('message', () => process.send(cost()))
  process.on('disconnect', () => process.exit())
  process.send({ url })
}
