const outcomes: Readonly<Record<string, string>> = {
  approved: 'Approved',
  refused: 'Denied',
  expired: 'Expired',
}

/** Describes the outcome of a decision, such as `Approved with changes`. */
export function describeOutcome(stage: string, isEdited: boolean): string {
  const outcome = outcomes[stage] ?? stage
  return isEdited ? `${outcome} with changes` : outcome
}
