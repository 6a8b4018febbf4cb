/** Tells whether the cursor is nowhere, so that it can be put somewhere. */
export function isFocusFree(): boolean {
  const { activeElement } = document
  return activeElement === null || activeElement === document.body
}
