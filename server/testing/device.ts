import { deviceGrantType } from '../../shared/device.ts'
import type { TestService } from './service.ts'
import type { Reply, Visitor } from './visitor.ts'

export const clientId = 'a-terminal'

/** A sign-in that waits for a browser, and the machine that asks for it. */
export interface Waiting {
  readonly machine: Visitor
  readonly deviceCode: string
  readonly userCode: string
  readonly link: string
  /** As the machine does; fields may be left out by undefined. */
  readonly poll: (fields?: Readonly<Record<string, string | undefined>>) => Promise<Reply>
}

export async function startWaiting(
  service: Pick<TestService, 'visitor'>,
  fields: Readonly<Record<string, string>> = {},
  machine = service.visitor(),
): Promise<Waiting> {
  const { status, body, text } = await machine.post('/device/code', { client_id: clientId, ...fields })
  if (status !== 200) throw new Error(`/device/code answered ${status}: ${text}`)
  return {
    machine,
    deviceCode: body.device_code,
    userCode: body.user_code,
    link: body.verification_uri_complete,
    poll: (more) => pollAs(machine, body.device_code, more),
  }
}

export const pollAs = (machine: Visitor, device_code: string, more: Parameters<Waiting['poll']>[0] = {}) =>
  machine.post('/device/token', { grant_type: deviceGrantType, client_id: clientId, device_code, ...more })

/** Looks at the code and approves it, as an application's own page does. */
export async function approve(person: Visitor, { userCode }: Waiting): Promise<Reply> {
  await person.get(`/device?user_code=${userCode}`)
  return person.post('/device/approve', { userCode })
}

/** Lets time pass for all waiting sign-ins, in seconds. */
export const ageDevices = ({ deps: { sql } }: Pick<TestService, 'deps'>, seconds: number) => sql`
  update device_requests set
    created_at = created_at - make_interval(secs => ${seconds}),
    last_polled_at = last_polled_at - make_interval(secs => ${seconds}),
    expires_at = expires_at - make_interval(secs => ${seconds})
`

/** One answer of each call, with everything in it that it can have. */
export function deviceAnswers(service: () => TestService): Record<string, () => Promise<Reply>> {
  const ways = { redirect_uri: 'http://127.0.0.1:49152/done', state: 'any' }
  return {
    startDevice: () => service().visitor().post('/device/code', { client_id: clientId }),
    pollDevice: async () => {
      const waiting = await startWaiting(service())
      await approve(await service().person(), waiting)
      return waiting.poll()
    },
    viewDevice: async () => {
      const { userCode } = await startWaiting(service())
      return (await service().person()).get(`/device?user_code=${userCode}`)
    },
    approveDevice: async () => approve(await service().person(), await startWaiting(service(), ways)),
    denyDevice: async () => {
      const { userCode } = await startWaiting(service(), ways)
      const person = await service().person()
      await person.get(`/device?user_code=${userCode}`)
      return person.post('/device/deny', { userCode })
    },
  }
}
