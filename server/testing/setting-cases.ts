/** What a setting is without a value, what it takes, and what it refuses. */
export interface SettingCases {
  readonly unset: unknown
  /** Text → what becomes of it. */
  readonly good: readonly (readonly [text: string, value: unknown])[]
  /** Text → what the message says is allowed. */
  readonly bad: readonly (readonly [text: string, allowed: string])[]
}

export const flag = (unset: boolean): SettingCases => ({
  unset,
  good: [
    ['on', true],
    ['off', false],
    ['true', true],
    ['false', false],
  ],
  bad: ['yes', '1', 'ON', 'enabled', ' on'].map((text) => [text, 'on, off, true or false']),
})

export const whole = (unset: number, least: number, most: number): SettingCases => ({
  unset,
  good: [least, most].map((value) => [String(value), value]),
  bad: [
    ...(least > 0 ? [[String(least - 1), `at least ${least}`] as const] : []),
    [String(most + 1), `at most ${most}`],
    ...['-1', '1.5', '1e3', '0x10', 'x', ' 1', 'Infinity', 'NaN', '99999999999'].map(
      (text) => [text, `a whole number from ${least} to ${most}`] as const,
    ),
  ],
})

export const sentence = (unset?: string): SettingCases => ({
  unset,
  good: [['Spam', 'Spam']],
  bad: [['x'.repeat(501), 'at most 500 characters']],
})

export const duration = (unset: number | undefined, least: number, most: number): SettingCases => ({
  unset,
  good: [
    [String(least), least],
    [`${least}s`, least],
    [String(most), most],
  ],
  bad: [
    ...(least > 0 ? [[String(least - 1), 'at least '] as const] : []),
    [String(most + 1), 'at most '],
    ...['-1', '1.5', '1w', '1 d', 'd', '1d1h', '1D', 'forever'].map(
      (text) => [text, 'a duration in seconds, or like 30s'] as const,
    ),
  ],
})

export const day = 86_400
