/** Puts the cursor into a field as it appears, for those who have just asked for it. */
export function takeFocus(field: HTMLElement | null): void {
  field?.focus()
}
