import type { Browser } from '../../flows/waiting.ts'

/** Of a machine without a screen. */
export const noBrowser: Browser = {
  isHere: false,
  open: async () => false,
  awaitReturn: async () => {
    throw new Error('Nobody comes back to a machine without a browser')
  },
}
