/** Why something that a person sent did not count. */
export function FormProblem({ problem }: { readonly problem: string | undefined }) {
  if (problem === undefined) return null
  return (
    <p className="form-problem" role="alert">
      {problem}
    </p>
  )
}
