const outcomes: Readonly<Record<string, string>> = {
  approved: 'Approved',
  refused: 'Denied',
  expired: 'Expired',
}

/** The outcome of a decision in words, such as `Approved with changes`. */
export function describeOutcome(stage: string, isEdited: boolean): string {
  const outcome = outcomes[stage] ?? stage
  return isEdited ? `${outcome} with changes` : outcome
}
