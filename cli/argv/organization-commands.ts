const ofOrganization =
  /^postern (?:(?:invitation|invite)(?! (?:accept|reject))|member|role|team|key|webhook|org (?:view|edit|export|activity)) /

/** Whether the command works in an organization, which `--org` selects. */
export const isOfOrganization = (line: string): boolean => ofOrganization.test(`${line} `)
