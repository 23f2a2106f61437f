# What an operator writes: shell commands only, no terminal and nobody to ask. Every failure ends it (set -e).
# Given by the caller: POSTERN_URL, the folders of the command line, and the service's settings for `dev mail`.
set -eu
printf 'correct horse battery staple\n' > password
seq -f 'p%g' 1 6 > people
sed 's/$/@example.com/' people > addresses

# Runs a function for each person of a list at once, and fails where one of them failed.
for_all() {
  pids=
  while read -r person; do
    "$1" "$person" > "$1.$person" 2>&1 < /dev/null &
    pids="$pids $!"
  done < "$2"
  for pid in $pids; do wait "$pid" || { cat "$1".*; exit 1; }; done
}

join() {
  postern profile create "$1" --url "$POSTERN_URL" --account "$1@example.com"
  postern -P "$1" sign-up --email "$1@example.com" --name "Person $1" --password-file password
}

verify() {
  awk -F '\t' -v to="$1@example.com" '$2 == to && $5 ~ /verify-email/ { print $5 }' mails | postern -P "$1" account email verify -
}

accept() {
  postern -P "$1" invitation list --mine -q | postern -P "$1" invitation accept "$(cat)"
}

# The owner, and an organization that may exist already.
join owner
postern -P owner org create Acme --slug acme --metadata '{"plan":"pro"}' --json > created.json
postern -P owner org create Acme --slug acme --if-exists skip --json > again.json

# Six people from a file.
postern -P owner invite create - --org acme --role member --json < addresses > invited.json
for_all join people
postern dev mail > mails
for_all verify people
for_all accept people
postern -P owner member list --org acme -q > members
test "$(wc -l < members)" -eq 7

# Roles: one admin, who may what the others may not.
postern -P owner member role set p1@example.com admin --org acme
postern -P p1 role check member:create invitation:create --org acme
postern -P p2 role check member:create --org acme && exit 1 || test $? -eq 5

# Teams, one of them made by the admin.
postern -P owner team create Design --org acme
postern -P p1 team create Support --org acme
sed -n 2,3p addresses | postern -P owner team member add - --team Design --org acme
sed -n 4p addresses | postern -P p1 team member add - --team Support --org acme

# One invitation stays, one is taken back, two people go.
postern -P p1 invite create guest@example.com other@example.com --role admin,member --org acme
postern -P p1 invitation cancel other@example.com --org acme
postern -P p5 org leave acme --yes
postern -P p1 member remove p6@example.com --org acme --yes
postern -P owner org view acme --json > view.json
postern -P owner invitation list --org acme --json=email,status > invitations.json

# As code: a second organization from the document of the first; when its people have joined, the documents are equal.
postern -P owner org export acme > acme.yaml
sed 's/slug: acme/slug: globex/' acme.yaml > globex.yaml
postern -P owner org apply -f globex.yaml --dry-run --json > planned.json
postern -P owner org apply -f globex.yaml --json > applied.json
head -n 4 people > staying
for_all accept staying
postern -P owner org export globex | sed 's/slug: globex/slug: acme/' > equal.yaml
cmp acme.yaml equal.yaml
postern -P owner org apply -f globex.yaml --json > twice.json
postern -P owner org apply -f globex.yaml --prune --confirm globex --json > pruned.json
