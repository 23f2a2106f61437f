import type { Failure } from '../../shared/failure.ts'
import type { Config } from '../config.ts'
import { type Words, waitText } from '../languages/words.ts'
import { deviceSentence } from './device-texts.ts'
import { Fact, Filled } from './render.tsx'

export type Settings = Pick<Config, 'BASE_PATH' | 'BASE_URL' | 'EMAIL_PASSWORD' | 'providers'> & {
  readonly words: Words
}

/** What the request says about the asking machine. */
export interface DeviceRequestView {
  readonly id: string
  readonly clientId: string
  readonly scope: string
  readonly ipAddress: string
  readonly userAgent: string
  readonly label: string | null
  readonly createdAt: Date
  /** Seconds. */
  readonly age: number
  readonly provider: string | null
  readonly userId: string | null
  readonly email: string | null
  readonly name: string | null
}

export const Alert = ({ children }: { readonly children: string | undefined }) =>
  children ? <p role="alert">{children}</p> : null

export const sentenceOf = (words: Words, failure: Failure | undefined): string | undefined =>
  failure && deviceSentence(words, failure.failure, failure.retryAfter)

export const ServiceHost = ({ BASE_URL }: Settings) => <p className="where">{BASE_URL.host}</p>

/** Which request a decision is about: in another tab the same browser may have typed another code since. */
export const ShownRequest = ({ id }: Pick<DeviceRequestView, 'id'>) => <input type="hidden" name="request" value={id} />

/** All of this is what the asking machine says; we only observed the address and the time. */
export const RequestDetails = ({ words, request }: { readonly words: Words; readonly request: DeviceRequestView }) => {
  const { clientId, scope, ipAddress, userAgent, label, createdAt, age } = request
  const { device } = words
  const time = <time dateTime={createdAt.toISOString()}>{timeOf(createdAt)}</time>
  return (
    <dl>
      {label !== null && (
        <Fact name={device.machine}>
          <Filled text={device.callsItself} label={<bdi>{label}</bdi>} />
        </Fact>
      )}
      <Fact name={device.application}>{clientId}</Fact>
      <Fact name={device.device}>{userAgent === '' ? device.silent : userAgent.slice(0, 160)}</Fact>
      <Fact name={device.network}>{ipAddress === '' ? device.unknown : ipAddress}</Fact>
      <Fact name={device.asked}>
        <Filled text={device.ago} age={waitText(words, Math.max(1, age))} time={time} />
      </Fact>
      {scope !== '' && <Fact name={device.for}>{scope}</Fact>}
    </dl>
  )
}

const timeOf = (date: Date): string => `${date.toISOString().slice(11, 19)} UTC`
