import type { ReactNode } from 'react'
import type { Failure } from '../../shared/failure.ts'
import type { Config } from '../config.ts'
import { deviceSentences, durationInWords } from './device-texts.ts'

export type Settings = Pick<Config, 'BASE_PATH' | 'BASE_URL' | 'EMAIL_PASSWORD' | 'providers'>

/** What the request says about the asking machine. */
export interface DeviceRequestView {
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

export const sentenceOf = (failure: Failure | undefined): string | undefined =>
  failure && deviceSentences[failure.failure]?.(failure.retryAfter)

export const ServiceHost = ({ BASE_URL }: Settings) => <p className="where">{BASE_URL.host}</p>

/** All of this is what the asking machine says; we only observed the address and the time. */
export const RequestDetails = ({ clientId, scope, ipAddress, userAgent, label, createdAt, age }: DeviceRequestView) => (
  <dl>
    {label !== null && (
      <Line name="Machine">
        calls itself “<bdi>{label}</bdi>”
      </Line>
    )}
    <Line name="Application">{clientId}</Line>
    <Line name="Device">{userAgent === '' ? 'does not say' : userAgent.slice(0, 160)}</Line>
    <Line name="Network address">{ipAddress === '' ? 'unknown' : ipAddress}</Line>
    <Line name="Asked">
      {durationInWords(Math.max(1, age))} ago, at <time dateTime={createdAt.toISOString()}>{timeOf(createdAt)}</time>
    </Line>
    {scope !== '' && <Line name="For">{scope}</Line>}
  </dl>
)

const Line = ({ name, children }: { readonly name: string; readonly children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)

const timeOf = (date: Date): string => `${date.toISOString().slice(11, 19)} UTC`
