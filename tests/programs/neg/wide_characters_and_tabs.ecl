task main(): Text {
	let 名前 = "日本語" ++ ;
	let é = "é" ++	* 1;
	return 名前
}
