/** Rethrows a refusal with the value that it is about. */
export const namingValueOf =
  (values: Readonly<Record<string, unknown>>) =>
  async (error: unknown): Promise<never> => {
    const { namingValue } = await import('../flows/refusals.ts')
    throw namingValue(error, values)
  }
