import { connect } from 'node:net'
import { text } from 'node:stream/consumers'

/** One command to the socket on which HAProxy is administered. */
async function tellHaproxy(socket: string, command: string): Promise<string> {
  const connection = connect(socket)
  connection.end(`${command}\n`)
  return text(connection)
}

/** Gives a service no more new requests, or gives it some again. */
export async function setService(socket: string, server: string, state: 'drain' | 'ready'): Promise<void> {
  const answer = (await tellHaproxy(socket, `set server web/${server} state ${state}`)).trim()
  if (answer !== '') throw new Error(`HAProxy said: ${answer}`)
}

/** The state of a service as HAProxy sees it, and its requests in flight. */
export async function serviceState(socket: string, server: string): Promise<{ status: string; requests: number }> {
  const [head = '', ...lines] = (await tellHaproxy(socket, 'show stat')).trim().split('\n')
  const names = head.replace('# ', '').split(',')
  const line = lines.map((row) => row.split(',')).find(([proxy, name]) => proxy === 'web' && name === server) ?? []
  const value = (name: string) => line[names.indexOf(name)] ?? ''
  return { status: value('status'), requests: Number(value('scur')) }
}
