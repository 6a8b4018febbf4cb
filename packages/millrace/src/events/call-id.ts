/**
 * The id that a call gets if its own is taken. Providers that number calls per conversation read ids of their own form
 * only. [CALL-1]
 */
export function followingCallId(id: string): string {
  const [, stem = '', digits] = /^(.*?)(\d{1,9})$/s.exec(id) ?? []
  return digits === undefined ? `${id}_2` : `${stem}${Number(digits) + 1}`
}
