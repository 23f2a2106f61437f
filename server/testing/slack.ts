/** How many times as long everything may take: more where others use the machine, too. */
export const slack = Number(process.env['TEST_SLACK'] ?? 1)
