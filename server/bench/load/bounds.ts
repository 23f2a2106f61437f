/** What has to hold, what was measured, and whether it held. */
export interface Bound {
  readonly title: string
  readonly most?: number
  readonly least?: number
  readonly measured: number
  readonly isHeld: boolean
}

export const atMost = (title: string, most: number, measured: number): Bound => ({
  title,
  most,
  measured,
  isHeld: measured <= most,
})

export const atLeast = (title: string, least: number, measured: number): Bound => ({
  title,
  least,
  measured,
  isHeld: measured >= least,
})

const digits = (value: number) => Number(value.toPrecision(4)).toString()

export const lineOf = ({ title, most, least, measured, isHeld }: Bound): string =>
  `${isHeld ? 'held  ' : 'BROKEN'} ${title}: ${digits(measured)} (${most === undefined ? `at least ${least}` : `at most ${most}`})`
