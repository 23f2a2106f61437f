import { exitCodes } from '../../shared/exit-codes.ts'

export const shells = ['bash', 'zsh', 'fish', 'powershell'] as const

/** Exit code of `postern __complete` when a file name belongs here. Only then does the shell complete files. */
export const fileWantedExitCode = exitCodes.inputNeeded

// Each script calls `postern __complete -- WORDS…`, so it stays valid when commands change.
export const scripts: Readonly<Record<(typeof shells)[number], string>> = {
  // Readline also splits words at `=`, `:` and `@`, so the script joins them again. Readline keeps the start of the
  // last word, so completions omit it, except an `@`, which readline replaces.
  bash: `_postern() {
  local line=\${COMP_LINE:0:COMP_POINT} rest word cur keep found i n=-1
  local -a words
  for ((i = 0; i <= COMP_CWORD; i++)); do
    rest=\${line#"\${line%%[![:blank:]]*}"}
    word=\${COMP_WORDS[i]}
    ((i == COMP_CWORD)) && word=$rest
    if ((n < 0)) || [[ $rest != "$line" ]]; then words[++n]=$word; else words[n]+=$word; fi
    line=\${rest#"$word"}
  done
  cur=\${words[n]}
  # Behind a quote that is open already, a name could not be quoted.
  [[ $cur == *[\\'\\"\\\\\\\`\\$]* ]] && return
  keep=\${cur%"\${cur##*[$COMP_WORDBREAKS]}"}
  keep=\${keep%@}
  COMPREPLY=()
  found=$(postern __complete -- "\${words[@]:1}" 2>/dev/null)
  (($? != ${fileWantedExitCode})) || compopt -o default 2>/dev/null
  while IFS= read -r word; do
    [[ -n $word ]] || continue
    word=\${word#"$keep"}
    [[ $word == *[!A-Za-z0-9_.,:/@%+=-]* ]] && printf -v word %q "$word"
    COMPREPLY+=("$word")
  done <<<"$found"
  [[ $cur != --json=* ]] || compopt -o nospace 2>/dev/null
}
complete -F _postern postern
`,
  zsh: `#compdef postern
_postern() {
  local said
  local -a found
  said=$(postern __complete -- "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null)
  if (( $? == ${fileWantedExitCode} )); then
    compset -P '--*='
    _files
    return
  fi
  found=("\${(@f)said}")
  found=("\${(@)found:#}")
  if [[ $PREFIX == --json=* ]]; then compadd -S '' -a found
  else compadd -a found
  fi
}
if [ "$funcstack[1]" = "_postern" ]; then _postern "$@"
else
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i }
  compdef _postern postern
fi
`,
  fish: `function __postern_complete
  set -l words (commandline -opc)[2..-1] (commandline -ct)
  set -l found (postern __complete -- $words 2>/dev/null)
  if test $status -eq ${fileWantedExitCode}
    set -l before (string match -r -- '^--[^=]+=' $words[-1])
    for path in (__fish_complete_path (string replace -r -- '^--[^=]+=' '' $words[-1]))
      printf '%s\\n' "$before$path"
    end
  else if set -q found[1]
    printf '%s\\n' $found
  end
end
complete -c postern -f -a '(__postern_complete)'
`,
  // PowerShell inserts completions verbatim and would run them, so a word with special characters is quoted by
  // PowerShell itself, which also handles curly quotes. PowerShell drops a bare `--` when it calls a script such as
  // npm's wrapper, and versions before 7.3 drop empty arguments to programs, so both are quoted.
  powershell: `Register-ArgumentCompleter -Native -CommandName postern -ScriptBlock {
  param($word, $ast, $position)
  $words = @($ast.CommandElements | Select-Object -Skip 1 | Where-Object { $_.Extent.EndOffset -lt $position } |
    ForEach-Object { if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value } else { $_.ToString() } })
  $typed = "$word".Trim([char[]]@(39, 34))
  if ($typed -eq '' -and $PSVersionTable.PSVersion -lt [version]'7.3') { $typed = '""' }
  $words += $typed
  $found = @(& postern __complete '--' @words 2>$null)
  if ($LASTEXITCODE -eq ${fileWantedExitCode}) { return }
  if (-not $found) { return '' }
  $found | ForEach-Object {
    $text = $_
    if ($text -notmatch '^[A-Za-z0-9_./:=+-][A-Za-z0-9_./:=+@-]*$') {
      $text = "'" + [System.Management.Automation.Language.CodeGeneration]::EscapeSingleQuotedStringContent($text) + "'"
    }
    [System.Management.Automation.CompletionResult]::new($text, $_, 'ParameterValue', $_)
  }
}
`,
}
