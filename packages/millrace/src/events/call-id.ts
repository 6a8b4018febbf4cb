/**
 * Returns a replacement for a call id that is taken. Providers that number calls per conversation accept only ids of
 * their own form. [CALL-1]
 */
export function followingCallId(id: string): string {
  const [, stem = '', digits] = /^(.*?)(\d{1,9})$/s.exec(id) ?? []
  return digits === undefined ? `${id}_2` : `${stem}${Number(digits) + 1}`
}
